import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ListedResource, ResourceChange } from '../../../../../../shared/client/compare-states.ts';
import { downloadState, type StateVersion } from '../../../../../../shared/client/state-versions.ts';
import { stateVersionQuery } from '../../../api/state-versions.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { ChangedValue } from '../../../components/changes.tsx';
import { Curl } from '../../../components/curl.tsx';
import { Dialog, DialogActions, DialogBody } from '../../../components/dialog.tsx';
import { Skeleton } from '../../../components/loaded.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import { formatCount } from '../../../lib/words.ts';

import './state-dialogs.css';
import { toVisible } from '../../../components/visible-text.tsx';
import { DownloadProgress, type StateContent, useStateContent } from './state-content.tsx';
import type { StateJob, StateResult } from './state-worker.ts';
import { useStateJob } from './use-state-job.ts';

interface ComparisonProps {
  /** Id of a state version. */
  readonly older: string;
  readonly newer: string;
  readonly onClose: () => void;
}

/** Loads two state versions, which may be on different pages of the list, and shows what differs between them. */
export const Comparison = ({ older, newer, onClose }: ComparisonProps) => {
  const [old, current] = [useQuery(stateVersionQuery(older)), useQuery(stateVersionQuery(newer))];
  const error = old.error ?? current.error;
  if (error !== null) {
    return (
      <Dialog title="The state versions cannot be compared" onClose={onClose}>
        <DialogBody>
          <ErrorNotice error={error} />
        </DialogBody>
      </Dialog>
    );
  }
  if (old.data === undefined || current.data === undefined) return null;
  return <CompareDialog older={old.data.document.data} newer={current.data.document.data} onClose={onClose} />;
};

interface CompareDialogProps {
  readonly older: StateVersion;
  readonly newer: StateVersion;
  readonly onClose: () => void;
}

/** Shows the resources that differ between two state versions. */
const CompareDialog = ({ older, newer, onClose }: CompareDialogProps) => {
  const [old, current] = [useStateContent(older), useStateContent(newer)];
  const result = useStateJob(old.data && current.data && [old.data, current.data]);
  return (
    <Dialog
      title={`Changes from state version ${older.attributes.serial} to ${newer.attributes.serial}`}
      description="Values that providers mark as sensitive are not shown."
      size="medium"
      onClose={onClose}
    >
      <Result contents={[old, current]} result={result} onStop={onClose}>
        {(found) => 'changes' in found && <Changes changes={found.changes} />}
      </Result>
      <DialogActions>
        <Curl requests={[downloadState(older.id), downloadState(newer.id)]} />
      </DialogActions>
    </Dialog>
  );
};

/** Lists the resources of a state version. */
export const ResourcesDialog = ({
  version,
  onClose,
}: {
  readonly version: StateVersion;
  readonly onClose: () => void;
}) => {
  const content = useStateContent(version);
  const result = useStateJob(content.data && ([content.data] satisfies StateJob));
  return (
    <Dialog title={`Resources of state version ${version.attributes.serial}`} size="medium" onClose={onClose}>
      <Result contents={[content]} result={result} onStop={onClose}>
        {(found) => 'resources' in found && <Resources resources={found.resources} />}
      </Result>
      <DialogActions>
        <Curl requests={[downloadState(version.id)]} />
      </DialogActions>
    </Dialog>
  );
};

interface ResultProps {
  readonly contents: readonly StateContent[];
  readonly result: StateResult | undefined;
  readonly onStop: () => void;
  readonly children: (result: StateResult) => ReactNode;
}

const Result = ({ contents, result, onStop, children }: ResultProps) => {
  const error = contents.map((content) => content.error).find((each) => each !== null) ?? null;
  return (
    <DialogBody>
      {error !== null && <ErrorNotice error={error} />}
      {error === null && contents.some(({ data }) => data === undefined) && (
        <DownloadProgress progress={contents.map((content) => content.progress)} onStop={onStop} />
      )}
      {error === null && result === undefined && <Skeleton />}
      {result !== undefined && 'error' in result && (
        <Notice kind="warning" title="The state cannot be read" isLive>
          <p>{result.error}</p>
        </Notice>
      )}
      {result !== undefined && children(result)}
    </DialogBody>
  );
};

/** Number of elements that are shown first, and that each click adds. */
const STEP = 200;

const useShown = <T,>(elements: readonly T[]) => {
  const [count, setCount] = useState(STEP);
  const more =
    elements.length > count ? (
      <div>
        <Button onClick={() => setCount(count + STEP)}>
          Show more of {(elements.length - count).toLocaleString()}
        </Button>
      </div>
    ) : null;
  return { shown: elements.slice(0, count), more };
};

const kinds = { added: 'success', removed: 'danger', changed: 'info' } as const;

const Changes = ({ changes }: { readonly changes: readonly ResourceChange[] }) => {
  const { shown, more } = useShown(changes);
  const count = (kind: ResourceChange['kind']) => changes.filter((change) => change.kind === kind).length;
  if (changes.length === 0) return <p role="status">All resources and outputs are equal.</p>;
  return (
    <>
      <p role="status">
        {count('added').toLocaleString()} added, {count('changed').toLocaleString()} changed,{' '}
        {count('removed').toLocaleString()} removed
      </p>
      <ul className="state-changes">
        {shown.map(({ address, kind, attributes }) => (
          <li key={address}>
            <div className="state-change">
              <Badge kind={kinds[kind]}>{kind}</Badge> <code>{toVisible(address)}</code>
            </div>
            {attributes.length > 0 && (
              <ul className="changes">
                {attributes.map(({ name, old, new: current }) =>
                  old === undefined ? (
                    <li key={name}>
                      <span className="changes-name">{toVisible(name)}</span>{' '}
                      <span className="muted">changed (sensitive)</span>
                    </li>
                  ) : (
                    <ChangedValue key={name} name={name} old={old} new={current} />
                  ),
                )}
              </ul>
            )}
          </li>
        ))}
      </ul>
      {more}
    </>
  );
};

const Resources = ({ resources }: { readonly resources: readonly ListedResource[] }) => {
  const { shown, more } = useShown(resources);
  return (
    <>
      <p role="status">{formatCount(resources.length, 'resource')}</p>
      <ul className="state-changes">
        {shown.map(({ address, provider }) => (
          <li key={address} className="state-resource">
            <code>{toVisible(address)}</code> <span className="muted">{toVisible(provider)}</span>
          </li>
        ))}
      </ul>
      {more}
    </>
  );
};
