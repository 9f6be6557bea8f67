/**
 * The terms of the language guide (../language.md) that `npm run check:prose` reports.
 *
 * Each entry is a pattern and the term to write instead. Patterns of `words` are words, separated by `|`. Patterns of
 * `phrases` are regular expressions, matched on word boundaries and without regard to case. A space in them also
 * matches a line break.
 */

/** Reported by cspell in Markdown, comments, strings and names, also as a part of a name: `oldCatalogue`. */
export const words = [
  ['announcement|announcements', 'change record'],
  ['asks|asking', 'request'],
  ['believe|believes|believed|believing', 'cache'],
  ['beside', 'next to'],
  ['catalogue|catalogues', 'list index'],
  ['entomb|entombs|entombed', 'write a tombstone'],
  ['inTurn', 'mapWithConcurrency'],
  ['remembers|remembered|remembering', 'cache'],
  ['surroundings', 'context'],
  ['sweep|sweeps|sweeper|sweepers|swept', 'cleanup'],
  ['told', 'report'],
  ['world|worlds', 'testbed'],
];

/** Reported by textlint in the prose of Markdown files only. Code spans, code blocks and block quotes are skipped. */
export const phrases = [
  // A coined term that is also the name of a stored attribute. It is reported in prose only.
  ['sealed', 'encrypted'],

  // Between programs there are requests and responses.
  ['(is|are|was|were|be|been|being|gets?) answered (by|with)', 'gets the response'],
  ['answers (with|of|to) (a|an|the)? ?(requests?|calls?|functions?|services?|routes?|404|409)', 'responses'],
  [
    '(the|each|every|any|all|of|its) (answers|answer) (of|to) (a|an|the|each|every) (request|call|list|page)',
    'response',
  ],
  ['(who|whoever) asks', 'the caller'],
  ['(is|are|was|were) asked (for|by|of)', 'is requested'],
  ['asks? (the )?(table|index|bucket|engine|database|store|service|DynamoDB|S3|KMS|Lambda|API)', 'request from'],
  ['(is|are|was|were|be) told', 'receives'],

  // Resources are created.
  [
    '(workspace|project|team|user|organization|token|state version|lock|snapshot|item|record)s? (is|are|was|were|be) made',
    'created',
  ],
  [
    '(make|makes|making|made) (a|an|the|new|another) (new )?(workspace|project|team|user|organization|token|state version|variable|snapshot|item|record)s?',
    'create',
  ],
  ['(workspace|project|team|user|organization|token|item|record|object|run|version)s? (is|are|was) gone', 'deleted'],

  // Metaphors with a standard term.
  ['cost fuses?( that blew)?', 'read or write limit'],
  ['figures of (the |a )?(runs?|workspaces?)', 'metrics'],
  ['passing (errors?|failures?|faults?)', 'transient error'],
  ['room (in|for) (the|an|a|one) answers?', 'response size budget'],
  ['spellers? of keys', 'module that builds keys'],

  // Grammar.
  ['may (everything|nothing|anything)', 'may do'],
  ['whoever', 'anyone who'],
];
