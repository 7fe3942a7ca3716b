"""Long-term memory of proved fixes.

`keys` says which texts are the same code, the ledger keeps what is remembered about each, `recall` looks a paste up, and `transfer`
carries a stored fix over to it: its own names, layout and comments stay.
"""
