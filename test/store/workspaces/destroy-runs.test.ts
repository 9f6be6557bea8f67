import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { cleanupDue } from '../../../functions/cleanup/cleanup.ts';
import type { Project } from '../../../shared/domain/directory/records.ts';
import { addTags } from '../../../shared/domain/tags/tag.ts';
import { changeTags } from '../../../shared/domain/transitions/relationships/change-tags.ts';
import type { Transition } from '../../../shared/domain/transitions/transition.ts';
import { forceDelete } from '../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { move } from '../../../shared/domain/transitions/workspaces/move-workspace.ts';
import { update } from '../../../shared/domain/transitions/workspaces/update-workspace.ts';
import { computeDueTime, inactivityFromProject } from '../../../shared/domain/workspace/auto-destroy.ts';
import type { ConfigurationRequest } from '../../../shared/domain/workspace/configuration/configuration.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { createLogger } from '../../../shared/logging/log.ts';
import { openCleanup } from '../../../shared/store/cleanup/cleanup-queue.ts';
import { openDirectory } from '../../../shared/store/directory/directory-reader.ts';
import { openRemoval } from '../../../shared/store/directory/removal/open-removal.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { openActivityCounter } from '../../../shared/store/history/activity-counter.ts';
import { openAutoDestroy } from '../../../shared/store/workspaces/auto-destroy.ts';
import { serviceRequest } from '../../../shared/store/workspaces/service-request.ts';
import { openWorkspaces } from '../../../shared/store/workspaces/workspace-store.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { configurationContext, newWorkspace } from '../../support/api/new-workspace.ts';
import { noBlobs } from '../../support/api/no-blob-storage.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { followStream } from '../../support/engine/table-stream.ts';

/** Neither project of a move protects its workspaces against deletion. */
const UNPROTECTED = { from: false, to: false };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let engine: TestEngine;
let opened: ReturnType<typeof openAdmin>;
let stream: Awaited<ReturnType<typeof followStream>>;
let project: string;
/** The current time of the fake clock, in milliseconds. */
let time = 1_900_000_000_000;
const clock = () => time;

beforeAll(async () => {
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'SILENT');
  engine = await startEngine();
  opened = openAdmin(engine.database, clock);
  await opened.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
  stream = await followStream(engine);
});
afterAll(() => engine.stop());
beforeEach(async () => {
  time += 1_000 * HOUR;
  await cleanup();
  ({
    project: { id: project },
  } = await opened.admin('create-project', { organization: 'acme', name: base58(8) }));
  await stream.sinceLast();
});

const destroying = (database: Database) =>
  openAutoDestroy(database, openWorkspaces(database, clock), clock, () => serviceRequest('cleanup'));

const cleanup = (database: Database = engine.database) => {
  const autoDestroy = destroying(database);
  const removal = openRemoval(opened.directory, opened.workspaces);
  const handler = cleanupDue(
    openCleanup(database, removal, autoDestroy, noBlobs),
    autoDestroy,
    openActivityCounter(database, clock, 400),
    clock,
    createLogger('cleanup'),
  );
  return handler(undefined, { getRemainingTimeInMillis: () => 60_000 });
};

const request = () => ({ id: base58(8), principal: { kind: 'user', id: 'user-x', name: 'x' } as const });
const find = async ({ id }: Pick<Workspace, 'id'>) => (await opened.workspaces.find(id)) as Workspace;

const create = async (given: ConfigurationRequest = {}, whose: Partial<Workspace> = {}): Promise<Workspace> => {
  const inactivity = inactivityFromProject(await projectOf(project));
  const made = newWorkspace(
    { organization: 'acme', project, ...(inactivity && { projectInactivity: inactivity }), ...whose } as never,
    { name: `w-${base58(8)}`, ...given },
    { now: time },
  );
  const workspace = { ...made, createdAt: time };
  await opened.workspaces.create(workspace, 4);
  return find(workspace);
};
const projectOf = async (id: string) =>
  (await openDirectory(engine.database, clock).projects.find(id, true)) as Project;

const apply = async (whose: Pick<Workspace, 'id'>, transition: (by: ReturnType<typeof request>) => Transition) => {
  const by = request();
  return opened.workspaces.apply(await find(whose), transition(by), by);
};
const change = async (whose: Workspace, configuration: ConfigurationRequest) => {
  const { project: from } = await find(whose);
  const inactivity = inactivityFromProject(await projectOf(from));
  return apply(whose, (by) =>
    update(by, { configuration, from, to: from }, { ...configurationContext, inactivity, now: time }),
  );
};
/** Records an activity in the workspace. */
const use = (whose: Workspace) =>
  apply(whose, () => {
    const made = changeTags((tags) => addTags(tags.slice(-2), [base58(6)], time));
    return { ...made, plan: (image) => ({ ...made.plan(image), isActivity: true }) };
  });
const setProject = (duration: string | null, id = project) =>
  opened.directory.projects.update(request(), 'acme', id, { autoDestroyActivityDuration: duration });

/** The change types of the workspace in stream order. */
const requestsOf = async (...ids: readonly string[]) =>
  (await stream.sinceLast()).flatMap(({ dynamodb: { NewImage: image } = {} }) =>
    image?.['chg']?.M?.['type']?.S === 'workspace.destroy-requested' && ids.includes(String(image['id']?.S))
      ? [Number(image['chg'].M['due']?.N)]
      : [],
  );
const findings = async () => (await opened.check()).findings;

describe('a destroy run', () => {
  it('is requested once at its due time, and leaves nothing due', async () => {
    const workspace = await create({ autoDestroyAt: time + HOUR });
    time += HOUR - 1;
    expect(await cleanup()).toEqual({ requested: 0, finished: 0, failed: 0 });
    time += 1;
    expect(await cleanup()).toEqual({ requested: 1, finished: 0, failed: 0 });
    expect(await cleanup()).toEqual({ requested: 0, finished: 0, failed: 0 });
    const after = await find(workspace);
    expect(after).toMatchObject({ destroyRequested: time, change: { actor: { kind: 'service', id: 'cleanup' } } });
    expect(after.due).toBeUndefined();
    expect(await requestsOf(workspace.id)).toEqual([time]);
    expect(await findings()).toEqual([]);
  });

  it('is requested once even long after its due time', async () => {
    const workspace = await create({ autoDestroyAt: time + HOUR });
    time += 50 * HOUR;
    expect(await Promise.all([cleanup(), cleanup(), cleanup()])).toEqual(
      expect.arrayContaining([{ requested: 1, finished: 0, failed: 0 }]),
    );
    expect(await requestsOf(workspace.id)).toHaveLength(1);
  });

  it('is not requested when its due time was changed or removed, even if the index is stale', async () => {
    const [moved, cleared, gone] = await Promise.all([1, 2, 3].map(() => create({ autoDestroyAt: time + HOUR })));
    const late: Database = { ...engine.database };
    const seen = { pk: `WS#${cleared?.id}`, sk: 'W' };
    await change(moved as Workspace, { autoDestroyAt: time + 9 * HOUR });
    await change(cleared as Workspace, { autoDestroyAt: null });
    await apply(gone as Workspace, (by) => forceDelete(by, time));
    time += 2 * HOUR;
    for (const { id } of [moved, cleared, gone] as Workspace[]) {
      expect(await destroying(late).requestRun({ ...seen, pk: `WS#${id}` })).toBe(false);
    }
    expect(await cleanup()).toMatchObject({ requested: 0 });
    time += 8 * HOUR;
    expect(await cleanup()).toMatchObject({ requested: 1 });
    expect(await requestsOf(moved?.id ?? '', cleared?.id ?? '', gone?.id ?? '')).toHaveLength(1);
    expect(await findings()).toEqual([]);
  });

  it.each(['the cleanup', 'the request'])(
    'is decided by the first write when it competes with a request that clears its due time: %s comes first',
    async (first) => {
      const workspace = await create({ autoDestroyAt: time + HOUR });
      time += HOUR;
      const between: Database = {
        ...engine.database,
        write: async (write, remaining) => {
          if (first === 'the request' && write.key.pk.endsWith(workspace.id)) {
            await change(workspace, { autoDestroyAt: null });
          }
          return engine.database.write(write, remaining);
        },
      };
      const cleanedUp = await cleanup(between);
      if (first === 'the cleanup') await change(workspace, { autoDestroyAt: null });
      expect(cleanedUp).toEqual({ requested: first === 'the cleanup' ? 1 : 0, finished: 0, failed: 0 });
      expect((await find(workspace)).due).toBeUndefined();
      expect(await requestsOf(workspace.id)).toHaveLength(cleanedUp.requested);
      expect(await findings()).toEqual([]);
    },
  );

  it('is requested once when the response of the database is lost', async () => {
    const workspace = await create({ autoDestroyAt: time + HOUR });
    time += HOUR;
    let lost = 0;
    const losing: Database = {
      ...engine.database,
      write: async (write, remaining) => {
        const response = await engine.database.write(write, remaining);
        if (lost++ === 0) throw Object.assign(new Error('lost'), { name: 'NoResponse', mayBeApplied: true });
        return response;
      },
    };
    await cleanup(losing);
    await cleanup();
    expect(await requestsOf(workspace.id)).toHaveLength(1);
  });
});

describe('inactivity', () => {
  it('is measured from the last activity, which is written at most once a minute', async () => {
    const workspace = await create({ autoDestroyActivityDuration: '2h' });
    expect(workspace.due).toBe(time + 2 * HOUR);
    time += HOUR;
    const used = await use(workspace);
    expect(used.due).toBe(time + 2 * HOUR);
    time += MINUTE - 1;
    expect((await use(workspace)).due).toBe(used.due);
    time += HOUR;
    expect(await cleanup()).toMatchObject({ requested: 0 });
    time += HOUR;
    expect(await cleanup()).toMatchObject({ requested: 1 });
    await use(workspace);
    expect((await find(workspace)).due).toBe(time + 2 * HOUR);
    time += 2 * HOUR;
    expect(await cleanup()).toMatchObject({ requested: 1 });
    expect(await findings()).toEqual([]);
  });

  it('uses the duration of the project when the workspace inherits it', async () => {
    const [old, other] = [await create(), await create({ inheritsProjectAutoDestroy: false })];
    time += 100 * HOUR;
    await setProject('3h');
    expect((await opened.check()).findings).toEqual([]);
    const young = await create();
    expect(young.due).toBe(time + 3 * HOUR);
    expect((await find(old)).due).toBeUndefined();
    const since = time;
    time += 31_000;
    expect(await cleanup()).toMatchObject({ finished: 1 });
    // Inactivity before the setting does not count.
    expect((await find(old)).due).toBe(since + 3 * HOUR);
    time = since + 3 * HOUR;
    expect(await cleanup()).toMatchObject({ requested: 2 });
    expect(await requestsOf(old.id, young.id, other.id)).toHaveLength(2);
    expect(await findings()).toEqual([]);
  });

  it('no longer applies once the project removes its duration, before its workspaces are updated', async () => {
    await setProject('3h');
    const [one, used] = [await create(), await create()];
    time += 3 * HOUR;
    await setProject(null);
    expect(await cleanup()).toMatchObject({ requested: 0 });
    expect((await find(one)).due).toBeUndefined();
    await setProject('9h');
    time += HOUR;
    expect(await cleanup()).toMatchObject({ requested: 0 });
    expect((await find(used)).due).toBe(time + 8 * HOUR);
    expect(await requestsOf(one.id, used.id)).toEqual([]);
    expect(await findings()).toEqual([]);
  });

  it('requests no destroy run when the project changes its duration concurrently', async () => {
    await setProject('3h');
    const workspace = await create();
    time += 3 * HOUR;
    const between: Database = {
      ...engine.database,
      transact: async (writes, remaining) => {
        await setProject('5h');
        return engine.database.transact(writes, remaining);
      },
    };
    expect(await cleanup(between)).toMatchObject({ requested: 0, failed: 0 });
    expect(await requestsOf(workspace.id)).toEqual([]);
  });

  it('reaches the workspaces of a project whose deletion was opened and cancelled meanwhile', async () => {
    const workspace = await create();
    const { name } = await projectOf(project);
    await setProject('3h');
    const since = time;
    const removal = openRemoval(opened.directory, opened.workspaces);
    const stored = await removal.findRecord('project', 'acme', name);
    await expect(removal.begin(request(), stored)).rejects.toMatchObject({ code: 'conflict' });
    expect(await findings()).toEqual([]);
    time += 31_000;
    await cleanup();
    expect((await find(workspace)).due).toBe(since + 3 * HOUR);
    expect(await findings()).toEqual([]);
  });

  it('is measured from the move when a workspace moves to another project', async () => {
    const workspace = await create();
    const { project: other } = await opened.admin('create-project', { organization: 'acme', name: base58(8) });
    await setProject('1h', other.id);
    time += 100 * HOUR;
    const inactivity = inactivityFromProject(await projectOf(other.id));
    await apply(workspace, (by) => move(by, workspace, { id: other.id, inactivity }, UNPROTECTED, () => {}, time));
    expect((await find(workspace)).due).toBe(time + HOUR);
    await apply(workspace, (by) =>
      move(
        by,
        { ...workspace, project: other.id },
        { id: project, inactivity: undefined },
        UNPROTECTED,
        () => {},
        time,
      ),
    );
    expect(await find(workspace)).not.toHaveProperty('due');
    expect(await findings()).toEqual([]);
  });

  it('keeps the due index in step with activity, settings and cleanup in any interleaving', async () => {
    await setProject('1h');
    const workspaces = await Promise.all(Array.from({ length: 6 }, () => create()));
    for (let round = 0; round < 12; round++) {
      time += 20 * MINUTE;
      await Promise.all([
        cleanup(),
        cleanup(),
        ...workspaces.flatMap((workspace, index) => [
          use(workspace).catch(() => undefined),
          change(workspace, {
            ...((index + round) % 3 === 0 && { autoDestroyActivityDuration: '2h' }),
            ...((index + round) % 3 === 1 && { inheritsProjectAutoDestroy: true }),
          }),
        ]),
        ...(round % 4 === 0 ? [setProject(`${round + 1}h`)] : []),
      ]);
    }
    expect(await findings()).toEqual([]);
    for (const workspace of workspaces) {
      const image = await find(workspace);
      expect(image.due).toBe(computeDueTime(image));
    }
  });
});
