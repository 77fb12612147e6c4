"""The kinds of abstract values, by subject, and how they join. Everybody else imports them from
`jaxlint.engine.domain.values`. Values of libraries and frameworks stand beside this room.
"""
