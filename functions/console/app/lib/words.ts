/** Makes the type of an event readable: `workspace.tags-changed` becomes "workspace tags changed". */
export const toWords = (name: string): string => name.replaceAll(/[.-]/g, ' ');

/** Formats a number with the noun that it counts, such as "1 workspace" or "2 workspaces". */
export const formatCount = (count: number, noun: string): string =>
  `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
