"""Who may read and write what nodes say: keys, sealed datagrams, replay protection, invitations."""
