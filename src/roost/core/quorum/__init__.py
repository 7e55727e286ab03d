"""Results that count when most voters hold them: single-decree Paxos for each element."""
