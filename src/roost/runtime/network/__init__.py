"""Datagrams, streams and the ways by which nodes find each other."""
