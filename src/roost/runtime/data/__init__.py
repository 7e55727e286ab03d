"""What elements make and need, on this disk and on others: delivered, brought, checked, kept, removed."""
