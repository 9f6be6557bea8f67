import { historyEntry } from '../../resources/history-entries/openapi.ts';
import type { history as routes } from '../../routes/history.ts';
import { text, time } from '../../schemas/schema.ts';
import { cursorPage, type Group } from '../operation.ts';

const query = {
  'filter[since]': { description: 'Only changes at this time or later.', schema: time() },
  'filter[until]': { description: 'Only changes at this time or earlier.', schema: time() },
  'filter[action]': {
    description: 'Comma-separated actions.',
    schema: text(undefined, { examples: ['workspace.locked,workspace.unlocked'] }),
  },
  'filter[actor]': { description: 'Comma-separated ids of users, teams, runs or services.', schema: text() },
};

export const history: Group<keyof typeof routes> = {
  name: 'History',
  description: 'Who changed what, from which value to which.',
  operations: {
    'workspaces.history': {
      summary: 'List the changes of a workspace',
      description:
        'Returns the newest change first. Each entry is reduced to what the caller may see now. A page can have fewer entries than requested, even none, and still a next page.',
      rule: 'HIST-8',
      query,
      answers: cursorPage(historyEntry),
    },
  },
};
