/**
 * Returns a command that reports a run to the service, as runners do (docs/concepts/runs.md).
 * @param run everything that is known about the run: what is left out is false or null
 */
export const reportCommand = (organization: string, workspace: string, run: object): string => {
  const entry = {
    EventBusName: 'holdfast',
    Source: 'holdfast.runner',
    DetailType: 'run.updated',
    Detail: JSON.stringify({ organization, workspace, run }),
  };
  return `aws events put-events --entries '${JSON.stringify([entry], null, 2).replaceAll("'", "'\\''")}'`;
};

/** Says what to replace in the command. */
export const REPORT_HINT =
  'Replace holdfast with the output BusName of the deployment if its event bus has another name.';
