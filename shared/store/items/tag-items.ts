import type { Tags } from '../../domain/tags/tag.ts';

/** The tags of an item; of the time before there were any, workspaces have an empty map and projects nothing. */
export const tagsOf = (stored: unknown): Tags => (Array.isArray(stored) ? (stored as Tags) : []);
