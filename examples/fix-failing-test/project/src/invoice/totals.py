"""What an invoice adds up to."""

from dataclasses import dataclass
from decimal import Decimal

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Line:
    """One position of an invoice."""

    text: str
    quantity: int
    price: Decimal


@dataclass(frozen=True)
class Total:
    """What is to be paid, and the tax in it."""

    net: Decimal
    tax: Decimal

    @property
    def gross(self) -> Decimal:
        return self.net + self.tax


def net(lines: list[Line]) -> Decimal:
    """Return the sum of all lines, without tax."""
    return sum((line.quantity * line.price for line in lines), Decimal(0)).quantize(CENT)


def tax(amount: Decimal, rate: Decimal) -> Decimal:
    """Return the tax on an amount, to the cent; half a cent is rounded up."""
    return Decimal(str(round(float(amount * rate), 2))).quantize(CENT)


def total(lines: list[Line], rate: Decimal) -> Total:
    """Return net and tax of an invoice."""
    amount = net(lines)
    return Total(net=amount, tax=tax(amount, rate))
