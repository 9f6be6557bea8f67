/**
 * Choices for the rights, locks and due destroy runs that a restored table brings back:
 * - `compare`: end those that have ended in the replaced table.
 * - `end`: end all of them.
 * - `keep`: end none.
 */
export const restoreChoices = ['compare', 'end', 'keep'] as const;
export type RestoreChoice = (typeof restoreChoices)[number];
