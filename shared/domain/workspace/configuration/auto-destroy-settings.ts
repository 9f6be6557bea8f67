import { invalid } from '../../errors.ts';
import { parseDuration } from '../auto-destroy.ts';
import type { Settings } from '../workspace-record.ts';
import type { ConfigurationRequest } from './configuration.ts';

type AutoDestroy = Pick<Settings, 'autoDestroyAt' | 'autoDestroyActivityDuration' | 'inheritsProjectAutoDestroy'>;

const withoutOwn = (inheritsProjectAutoDestroy: boolean): AutoDestroy => ({
  autoDestroyAt: null,
  autoDestroyActivityDuration: null,
  inheritsProjectAutoDestroy,
});

/**
 * Computes the time before which a duration is not over: the duration starts when it is set, whatever the last activity
 * was. A duration that is set again keeps its start.
 */
const earliest = (previous: Settings, duration: string, now: number): number => {
  const fromNow = now + parseDuration(duration);
  const isSame = duration === previous.autoDestroyActivityDuration && previous.autoDestroyAt !== null;
  return isSame ? Math.min(previous.autoDestroyAt, fromNow) : fromNow;
};

/**
 * Computes the auto-destroy settings (DESTROY-1, DESTROY-2). A time and a duration replace each other, and either ends
 * the inheritance. A null removes the value that it names, and restores the inheritance. The Terraform provider sends a null
 * for the time with every other change, so that null never removes a duration.
 * @throws DomainError 422 if both have a value, or for a new time in the past.
 */
export const configureAutoDestroy = (previous: Settings, request: ConfigurationRequest, now: number): AutoDestroy => {
  const { autoDestroyAt: at, autoDestroyActivityDuration: duration, inheritsProjectAutoDestroy: inherits } = request;
  if (at && duration) {
    throw invalid('auto-destroy-at', 'Auto destroy at and auto destroy activity duration cannot both be set');
  }
  if (at) {
    if (at <= now && at !== previous.autoDestroyAt) {
      throw invalid('auto-destroy-at', 'Auto destroy at must be in the future');
    }
    return { ...withoutOwn(false), autoDestroyAt: at };
  }
  if (duration) {
    return {
      autoDestroyAt: earliest(previous, duration, now),
      autoDestroyActivityDuration: duration,
      inheritsProjectAutoDestroy: false,
    };
  }
  // The stored time of a duration is its start, which is removed with the duration.
  const removesOwn =
    previous.autoDestroyActivityDuration === null ? at === null && previous.autoDestroyAt !== null : duration === null;
  if (inherits || removesOwn) return withoutOwn(inherits ?? true);
  return {
    autoDestroyAt: previous.autoDestroyAt,
    autoDestroyActivityDuration: previous.autoDestroyActivityDuration,
    inheritsProjectAutoDestroy: inherits ?? previous.inheritsProjectAutoDestroy,
  };
};
