"""Looks at a table that nobody has described yet, and proposes a study to edit."""

from shoal.proposal.file_layout import Layout, lay_out
from shoal.proposal.proposal import Proposal, ProposedColumn, propose
from shoal.proposal.written import study_text

__all__ = ["Layout", "Proposal", "ProposedColumn", "lay_out", "propose", "study_text"]
