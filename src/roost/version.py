"""The version, known without asking the package's metadata, which would slow every start down."""

VERSION = "0.1.0"
