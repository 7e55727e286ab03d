"""What a task requires of its node, as its author writes it: ``os == "linux" and mem >= 8GiB`` (HTC 2.4)."""
