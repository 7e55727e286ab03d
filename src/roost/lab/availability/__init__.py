"""How available replicated data is: models of a replica group, and the group simulated (HTC chapter 3)."""
