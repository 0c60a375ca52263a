"""What tests of agents need, here and in projects that use custody."""
