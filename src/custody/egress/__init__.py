"""The way out of a closed network: to the servers that were named, and to no other."""
