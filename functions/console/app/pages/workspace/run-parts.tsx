import { findIncluded } from '../../../../../shared/client/documents.ts';
import type { Run } from '../../../../../shared/client/types.ts';
import type { RunsDocument } from '../../api/runs.ts';
import { Badge } from '../../components/badge.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { NOT_REPORTED } from '../../lib/words.ts';

/** Finds the configuration version of a run and its commit. */
export const commitOf = (document: Pick<RunsDocument, 'included'>, run: Run) => {
  const version = findIncluded(document, 'configuration-versions', run.relationships['configuration-version'].data);
  const commit = findIncluded(document, 'ingress-attributes', version?.relationships['ingress-attributes'].data);
  return { version, commit: commit?.attributes };
};

/** Stands for a value that no runner has reported. */
export const NotReported = () => <span className="muted not-reported">{NOT_REPORTED}</span>;

const sources: Readonly<Record<string, string>> = {
  'tfe-api': 'API',
  'tfe-ui': 'console',
};

/** Shows where a run was started. */
export const RunSource = ({ name }: { readonly name: string | null }) =>
  name === null ? <NotReported /> : toVisible(sources[name] ?? name);

/** Shows whether a run only plans, applies or destroys. */
export const RunKind = ({ run: { attributes } }: { readonly run: Run }) => {
  if (attributes['is-destroy']) return <Badge kind="danger">destroy</Badge>;
  return <span className="nowrap">{attributes['plan-only'] ? 'plan only' : 'plan and apply'}</span>;
};
