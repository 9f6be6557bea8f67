import { sortVersions } from './versions.ts';

/**
 * The releases of the infra tool that every installation starts with: Terraform's stable releases up to 1.16.5. Each
 * line names its highest patch; the line has all patches from 0 up to it. Later releases arrive as events or by an
 * administrator, and are kept as a difference from this list.
 */
const highestPatch: Readonly<Record<string, number>> = {
  '0.10': 8,
  '0.11': 15,
  '0.12': 31,
  '0.13': 7,
  '0.14': 11,
  '0.15': 5,
  '1.0': 11,
  '1.1': 9,
  '1.2': 9,
  '1.3': 10,
  '1.4': 7,
  '1.5': 7,
  '1.6': 6,
  '1.7': 5,
  '1.8': 5,
  '1.9': 8,
  '1.10': 5,
  '1.11': 4,
  '1.12': 2,
  '1.13': 5,
  '1.14': 9,
  '1.15': 9,
  '1.16': 5,
};

/** The default releases, the newest last. */
export const defaultReleases: readonly string[] = Object.entries(highestPatch).flatMap(([line, highest]) =>
  Array.from({ length: highest + 1 }, (_, patch) => `${line}.${patch}`),
);

/** Differences of an installation's releases from the default ones. */
export interface ReleaseChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Returns the releases of an installation, the newest last. Removal wins over addition. */
export const knownReleases = ({ added, removed }: ReleaseChanges): readonly string[] => {
  const excluded = new Set(removed);
  return sortVersions(new Set([...defaultReleases, ...added].filter((version) => !excluded.has(version))));
};
