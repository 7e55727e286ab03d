"""The cluster's keys on this disk, certificates for TLS, and pairing by a short code."""
