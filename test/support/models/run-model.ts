import { applyChange, satisfies } from '../../../shared/domain/changes/conditions.ts';
import type { RunPrincipal } from '../../../shared/domain/directory/records.ts';
import { DomainError } from '../../../shared/domain/errors.ts';
import type { ConfigurationReport, ConfigurationVersion } from '../../../shared/domain/runs/configuration-versions.ts';
import type { Run, RunReport, RunStatus } from '../../../shared/domain/runs/run.ts';
import type { FinishedRun } from '../../../shared/domain/runs/run-metrics.ts';
import { lock } from '../../../shared/domain/transitions/locks/lock.ts';
import { unlock } from '../../../shared/domain/transitions/locks/unlock.ts';
import { planConfigurationReport, planRunReport } from '../../../shared/domain/transitions/run-reports.ts';
import type { RequestContext, Step, Transition } from '../../../shared/domain/transitions/transition.ts';
import { toImage, type Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { newWorkspace } from '../api/new-workspace.ts';

/** One workspace with its runs and configuration versions, in memory: what the store would hold after some reports. */

export const runId = (number: number): string =>
  `run-${String(number + 111)
    .padStart(16, '1')
    .replaceAll('0', 'z')}`;
export const configurationId = (number: number): string => runId(number).replace('run-', 'cv-');

const description = {
  message: null,
  source: null,
  isDestroy: false,
  autoApply: false,
  hasChanges: null,
  savePlan: false,
  configurationVersion: null,
};

export const runReport = (id: string, status: RunStatus, at: number, more: Partial<RunReport> = {}): RunReport => ({
  id,
  workspace: 'ws-1',
  createdAt: 1_000,
  planOnly: false,
  status,
  at,
  description,
  ...more,
});

/** A run's life: it has each status a second after the one before. */
export const lifeOf = (id: string, from: number, statuses: readonly RunStatus[], more: Partial<RunReport> = {}) =>
  statuses.map((status, index) => runReport(id, status, from + 1_000 * index, { createdAt: from, ...more }));

export const configurationReport = (
  id: string,
  status: ConfigurationReport['status'],
  at: number,
  more: Partial<ConfigurationReport> = {},
): ConfigurationReport => ({
  id,
  workspace: 'ws-1',
  createdAt: 1_000,
  speculative: false,
  hasReadmeObject: false,
  status,
  at,
  description: { source: null, autoQueueRuns: true, error: null, errorMessage: null, ingress: null },
  ...more,
});

const createRunPrincipal = (id: string): RunPrincipal => ({
  kind: 'run',
  id,
  name: id,
  organization: 'acme',
  workspace: 'ws-1',
});
const user: RequestContext['principal'] = { kind: 'user', id: 'user-1', name: 'ada' };

export class RunModel {
  workspace: Workspace = newWorkspace({ organization: 'acme', project: 'prj-1' }, { name: 'network' });
  readonly runs = new Map<string, Run>();
  readonly configurationVersions = new Map<string, ConfigurationVersion>();
  window: readonly FinishedRun[] = [];
  readme: string | undefined;
  private requests = 0;

  private make({ condition, change }: Pick<Step, 'condition' | 'change'>): void {
    if (!satisfies(condition, toImage(this.workspace))) throw new Error('The condition does not hold of its own image');
    this.workspace = applyChange(change, { ...this.workspace }) as unknown as Workspace;
  }

  /** Applies a run report. @returns the event type, or undefined when the report changes nothing. */
  report(report: RunReport): string | undefined {
    const request = { id: `request-${++this.requests}`, principal: createRunPrincipal(report.id) };
    const known = { run: this.runs.get(report.id), window: this.window };
    const plan = planRunReport(this.workspace, known, report, request, 1);
    if (plan === undefined) return undefined;
    this.make(plan.step);
    this.runs.set(report.id, plan.run);
    this.window = plan.window ?? this.window;
    return plan.type;
  }

  configure(report: ConfigurationReport): void {
    const plan = planConfigurationReport(this.workspace, this.configurationVersions.get(report.id), report);
    if (plan === undefined) return;
    this.make(plan.step);
    this.configurationVersions.set(report.id, plan.configurationVersion);
    this.readme = plan.readme ?? this.readme;
  }

  /** Applies a transition. @returns false when it is rejected with a conflict. */
  private attempt(transition: Transition): boolean {
    try {
      this.make(transition.plan(this.workspace));
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'conflict') return false;
      throw error;
    }
  }

  lock = (): boolean =>
    this.attempt(
      lock({ id: `request-${++this.requests}`, principal: user }, { id: `lock-${this.requests}`, reason: '', at: 1 }),
    );
  unlock = (): boolean => this.attempt(unlock({ id: `request-${++this.requests}`, principal: user }, 1));

  /** State that must not depend on the order of the reports. */
  get reported(): unknown {
    const { run, runAt, runStatus, runMetrics, configurationVersion, readme } = this.workspace;
    return {
      workspace: { run, runAt, runStatus, runMetrics, configurationVersion, readme },
      runs: Object.fromEntries([...this.runs].toSorted().map(([id, { hasLocked: _, ...rest }]) => [id, rest])),
      configurationVersions: Object.fromEntries([...this.configurationVersions].toSorted()),
      window: this.window,
      text: this.readme,
    };
  }
}
