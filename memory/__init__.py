"""Long-term memory of proved fixes: keys, ledger, recall and transfer."""
