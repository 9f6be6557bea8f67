import { parse } from 'yaml';
import { codeBlocks } from './pages.ts';

const PAGE = 'docs/concepts/pipelines.md';

/** A pipeline of the documentation. */
interface PipelineGuide {
  /** Body that creates its workload identity. */
  readonly identity: {
    readonly data: { readonly attributes: { readonly issuer: string }; readonly relationships: object };
  };
  /** Variables of the job. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Scripts of the job, each for a shell of its own. Those that follow a failure run only if `always` is set.
   */
  readonly scripts: readonly { readonly script: string; readonly always: boolean }[];
}

const [githubIdentity, gitlabIdentity, codeBuildIdentity] = codeBlocks(PAGE, 'json').map((text) => JSON.parse(text));
const [workflow, gitlabPipeline, buildSpecification] = codeBlocks(PAGE, 'yaml').map((text) => parse(text));

interface Step {
  readonly run?: string;
  readonly if?: string;
}

/** The workflow of GitHub Actions. Its steps run in shells of their own. */
export const github: PipelineGuide = {
  identity: githubIdentity,
  variables: workflow.env,
  scripts: (workflow.jobs.apply.steps as readonly Step[]).flatMap(({ run, if: condition }) =>
    run === undefined ? [] : [{ script: `set -e\n${run}`, always: condition === 'always()' }],
  ),
};

const { apply: gitlabJob } = gitlabPipeline;

/** The job of GitLab CI, which runs in one shell. */
export const gitlab: PipelineGuide & { readonly audience: string } = {
  identity: gitlabIdentity,
  variables: gitlabJob.variables,
  scripts: [{ script: ['set -e', ...gitlabJob.before_script, ...gitlabJob.script].join('\n'), always: false }],
  audience: gitlabJob.id_tokens.ID_TOKEN.aud,
};

const { pre_build: before, build } = buildSpecification.phases;

/** The build of AWS CodeBuild, which runs in one shell, with the commands of `finally` at its end. */
export const codeBuild: PipelineGuide = {
  identity: codeBuildIdentity,
  variables: buildSpecification.env.variables,
  scripts: [
    {
      script: [
        `finally() {\n${build.finally.join('\n')}\n}`,
        'trap finally EXIT',
        'set -e',
        ...before.commands,
        ...build.commands,
      ].join('\n'),
      always: false,
    },
  ],
};
