"""Looks at a table that nobody has described yet, and proposes a study of it to edit."""

from shoal.propose.layout import Layout, lay_out
from shoal.propose.proposal import Proposal, ProposedColumn, propose
from shoal.propose.study_text import study_text

__all__ = ["Layout", "Proposal", "ProposedColumn", "lay_out", "propose", "study_text"]
