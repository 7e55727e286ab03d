"""A new machine joins by a short code: the invitation, the search for who holds it, the conversation."""
