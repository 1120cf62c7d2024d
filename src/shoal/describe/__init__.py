"""What a curator says: roles, where the table lies, hierarchies, and what is promised."""
