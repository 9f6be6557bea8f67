import type { Item } from '../dynamodb/keys.ts';
import type { CommonChecks } from './common-checks.ts';
import type { Check, Checks } from './facts.ts';

type HistoryItem = `history-${'entry' | 'value' | 'secret' | 'text' | 'consumers'}` | 'audit-pointer';

/** Opens the checks of the items of the history, each of which can be checked without any other item. */
export const checkHistory = ({ must }: Check, { expires }: CommonChecks): Checks<HistoryItem> => ({
  'history-entry': (item: Item) => {
    expires(item);
    const { id, type, changes } = item;
    const isWhole = typeof id === 'string' && typeof type === 'string' && Array.isArray(changes);
    must(isWhole, 'it has no id, no action or no changes');
  },
  'history-value': (item) => {
    expires(item);
    const isOpen = item['sensitive'] === true && item['value'] !== undefined;
    must(!isOpen, 'it has the value of a sensitive variable');
  },
  'history-secret': expires,
  'history-text': expires,
  'history-consumers': expires,
  'audit-pointer': expires,
});
