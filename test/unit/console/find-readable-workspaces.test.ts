import { expect, it } from 'vitest';
import { findReadableWorkspaces } from '../../../functions/console/app/pages/workspace/find-readable-workspaces.ts';

type Subject = Parameters<typeof findReadableWorkspaces>[0];

const workspace = (name: string, project: string, sharing: 'none' | 'global' | 'project' = 'none') =>
  ({
    id: `ws-${name}`,
    attributes: { name, 'global-remote-state': sharing === 'global', 'project-remote-state': sharing === 'project' },
    relationships: { project: { data: { id: project } } },
  }) as Subject;

const subject = workspace('subject', 'prj-1');
const pages = [
  [workspace('zone', 'prj-2', 'global'), subject, workspace('other-project', 'prj-2', 'project')],
  [workspace('same-project', 'prj-1', 'project'), workspace('producer', 'prj-2')],
  [workspace('stranger', 'prj-1'), workspace('hidden', 'prj-1')],
];

const search = (isStopped: () => boolean = () => false) => {
  const read: string[] = [];
  const progress: string[] = [];
  const result = findReadableWorkspaces(subject, {
    readPage: async (page) => ({ data: pages[page - 1] ?? [], pages: pages.length }),
    isConsumerOf: async (id) => {
      read.push(id);
      if (id === 'ws-hidden') throw new Error('404');
      return id === 'ws-producer';
    },
    isStopped,
    onProgress: (phase, { done, total }) => progress.push(`${phase} ${done}/${total}`),
  });
  return { read, progress, result };
};

it('the search for readable states finds what is shared by settings without reading consumers', async () => {
  const { read, progress, result } = search();
  const { found, unreadable } = await result;
  expect(found.map(({ workspace: { attributes }, sharedWith }) => [attributes.name, sharedWith])).toEqual([
    ['producer', 'consumers'],
    ['same-project', 'project'],
    ['zone', 'organization'],
  ]);
  expect(unreadable).toBe(1);
  expect(read.sort()).toEqual(['ws-hidden', 'ws-producer', 'ws-stranger']);
  expect(progress).toContain('list 3/3');
  expect(progress.at(-1)).toBe('consumers 3/3');
});

it('the search for readable states that is stopped returns what it has found', async () => {
  let isStopped = false;
  const { read, result } = search(() => isStopped);
  isStopped = true;
  const { found } = await result;
  expect(found.map((it) => it.workspace.attributes.name)).toEqual(['zone']);
  expect(read).toEqual([]);
});
