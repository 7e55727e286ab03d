"""Everything a node must not forget, in one SQLite file: one writer, many readers, checksums."""
