/** Namespace and name of the metric in CloudWatch. */
const NAMESPACE = 'Holdfast';
const NAME = 'RefusedAttempts';

/**
 * Builds the members of a log line from which CloudWatch counts one rejected attempt (HIST-17), in the embedded metric format.
 * The metric has one dimension, so a deployment pays for one metric, and only in hours with rejections.
 * @param at time of the rejection, in milliseconds.
 */
export const rejectionMetric = (deployment: string, at: number) => ({
  _aws: {
    Timestamp: at,
    CloudWatchMetrics: [
      { Namespace: NAMESPACE, Dimensions: [['Deployment']], Metrics: [{ Name: NAME, Unit: 'Count' }] },
    ],
  },
  Deployment: deployment,
  [NAME]: 1,
});
