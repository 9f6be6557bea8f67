import { invalid } from '../../errors.ts';
import { parseDuration } from '../auto-destroy.ts';
import type { Settings } from '../workspace-record.ts';
import { type ConfigurationRequest, given } from './configuration.ts';

type AutoDestroy = Pick<Settings, 'autoDestroyAt' | 'autoDestroyActivityDuration' | 'inheritsProjectAutoDestroy'>;

/**
 * Computes the auto-destroy settings. An explicit time applies as it is. The duration starts now if the request sets it,
 * stops inheriting, or removes an explicit time. Own values end the inheritance; inheriting removes own values.
 */
export const configureAutoDestroy = (previous: Settings, request: ConfigurationRequest, now: number): AutoDestroy => {
  const { autoDestroyAt: at, autoDestroyActivityDuration: duration } = request;
  if (at !== undefined && at !== null && at <= now) {
    throw invalid('auto-destroy-at', 'Auto destroy at must be in the future');
  }
  const isOwn = Boolean(at || duration);
  const inheritsProjectAutoDestroy =
    !isOwn && given(request.inheritsProjectAutoDestroy, previous.inheritsProjectAutoDestroy);
  if (inheritsProjectAutoDestroy && request.inheritsProjectAutoDestroy === true) {
    return { autoDestroyAt: null, autoDestroyActivityDuration: null, inheritsProjectAutoDestroy };
  }
  const autoDestroyActivityDuration = given(duration, previous.autoDestroyActivityDuration);
  const own = { autoDestroyActivityDuration, inheritsProjectAutoDestroy };
  if (at) return { autoDestroyAt: at, ...own };
  const begins = duration !== undefined || at === null || previous.inheritsProjectAutoDestroy;
  if (autoDestroyActivityDuration !== null && !inheritsProjectAutoDestroy && begins) {
    return { autoDestroyAt: now + parseDuration(autoDestroyActivityDuration), ...own };
  }
  // A time that was computed from a duration is removed with that duration.
  const wasCounted = duration === null && previous.autoDestroyActivityDuration !== null;
  return { autoDestroyAt: at === null || wasCounted ? null : previous.autoDestroyAt, ...own };
};
