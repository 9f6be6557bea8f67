import Type, { type Static } from 'typebox';
import { envelopes, time } from './envelope.ts';

const { sequence, organization, workspace, row } = envelopes.envelope.properties;

const version = Type.Literal(1, { description: 'Version of the event format.' });
const snapshotAt = time('When the snapshot began. All events of a snapshot have the same time.');

/** Schemas of the events of a snapshot (EVENT-20). Their source differs from the source of changes. */
export const snapshotEvents = {
  'workspace.snapshot': Type.Object(
    {
      version,
      type: Type.Literal('workspace.snapshot'),
      snapshotAt,
      sequence,
      time: time('When the newest change was made.'),
      organization,
      workspace,
      row,
    },
    { title: 'workspace.snapshot', description: 'A workspace as it is. It reports no change.' },
  ),
  'snapshot.completed': Type.Object(
    {
      version,
      type: Type.Literal('snapshot.completed'),
      snapshotAt,
      workspaces: Type.Integer({ minimum: 0, description: 'Number of events of workspaces in the snapshot.' }),
    },
    { title: 'snapshot.completed', description: 'All workspaces of the deployment have been sent.' },
  ),
};

export type WorkspaceSnapshot = Static<(typeof snapshotEvents)['workspace.snapshot']>;
export type SnapshotCompletion = Static<(typeof snapshotEvents)['snapshot.completed']>;
