import type { StateVersion } from '../../../../shared/client/state-versions.ts';
import type { Workspace } from '../../../../shared/client/types.ts';
import { Time } from './time.tsx';
import { toVisible } from './visible-text.tsx';

interface Props {
  readonly source: NonNullable<(Workspace | StateVersion)['attributes']['imported-from']>;
}

/** Shows where something was imported from, as its creator said (WS-50). */
export const ImportedFrom = ({ source }: Props) => {
  const { host, organization, id, 'created-at': at, 'created-by': by } = source;
  const name = 'name' in source ? source.name : null;
  const commit = 'commit' in source ? source.commit : null;
  return (
    <>
      {toVisible([host, organization, name, id].filter((part) => part !== null).join(', '))}
      {(at !== null || by !== null) && ', created'}
      {at !== null && (
        <>
          {' '}
          <Time value={at} />
        </>
      )}
      {by !== null && <> by {toVisible(by)}</>}
      {commit !== null && <>, commit {toVisible(commit)}</>}
    </>
  );
};
