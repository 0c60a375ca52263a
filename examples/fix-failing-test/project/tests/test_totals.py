import sys
import unittest
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

from invoice.totals import Line, net, tax, total


class TotalsTest(unittest.TestCase):
    def test_an_empty_invoice_costs_nothing(self):
        self.assertEqual(total([], Decimal("0.25")).gross, Decimal("0.00"))

    def test_lines_are_added_up(self):
        lines = [Line("bolt", 10, Decimal("0.35")), Line("nut", 10, Decimal("0.15"))]
        self.assertEqual(net(lines), Decimal("5.00"))

    def test_tax_is_rounded_to_the_cent(self):
        self.assertEqual(tax(Decimal("9.99"), Decimal("0.19")), Decimal("1.90"))

    def test_half_a_cent_is_rounded_up(self):
        self.assertEqual(tax(Decimal("0.50"), Decimal("0.25")), Decimal("0.13"))

    def test_gross_is_net_and_tax(self):
        result = total([Line("hinge", 2, Decimal("4.00"))], Decimal("0.25"))
        self.assertEqual(result.gross, Decimal("10.00"))


if __name__ == "__main__":
    unittest.main()
