"""Mobile devices that share work fairly: batteries, links, movement (FAIR 3.3 and 4)."""
