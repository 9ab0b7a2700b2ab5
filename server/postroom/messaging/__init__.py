"""What the operations of MessageService share: who speaks, who gets it, and the writing."""
