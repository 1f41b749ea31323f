package egress
