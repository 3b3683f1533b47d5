"""The tables that stay with the curator: who was recorded, which id stands for whom, and what is hidden."""
