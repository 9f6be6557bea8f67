import type { Page } from 'playwright-core';
import { createSeededRandom } from '../models/seeded-random.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Spans between ages, in milliseconds, with their numbers. */
const spans = (now: number, ages: readonly number[], counts: readonly number[]) => {
  const bounds = ages.map((age) => new Date(now - age).toISOString());
  return counts.map((count, index) => ({
    since: bounds[index] ?? null,
    before: index === 0 ? null : bounds[index - 1],
    count,
  }));
};

/** Numbers of a year: few on Saturdays and Sundays, and a burst. The days before the first ones were never counted. */
const createYear = (now: number) => {
  const random = createSeededRandom(7);
  return Array.from({ length: 340 }, (_, index) => {
    const time = now - (339 - index) * DAY;
    const weekday = new Date(time).getUTCDay();
    const usual = weekday === 0 || weekday === 6 ? 4 : 60;
    const changes = Math.floor(random() * usual * (index % 37 === 0 ? 6 : 1));
    const runs = Math.floor(changes / 4);
    return {
      date: new Date(time).toISOString().slice(0, 10),
      'change-count': changes,
      'run-count': runs,
      'failed-run-count': Math.floor(random() * runs * 0.4),
    };
  });
};

/** Builds the statistics of an organization with many workspaces. */
export const createStatistics = (organization: string, now: number) => ({
  data: {
    id: organization,
    type: 'organization-statistics',
    attributes: {
      'counted-at': new Date(now).toISOString(),
      'workspace-count': 1_284,
      locks: spans(now, [HOUR, DAY, 7 * DAY], [6, 11, 4, 3]),
      'state-changes': spans(now, [30 * DAY, 90 * DAY, 180 * DAY], [702, 301, 168, 113]),
      'infra-versions': ['1.14.2', '1.13.5', '1.12.2', '1.9.8', '1.8.5', '1.5.7', '1.4.6', '0.14.11'].map(
        (version, index) => ({ 'infra-version': version, count: [514, 302, 190, 121, 64, 48, 21, 9][index] }),
      ),
      'other-infra-version-count': 15,
      'current-run-statuses': ['applied', 'planned_and_finished', 'errored', 'planned', 'applying', 'discarded'].map(
        (status, index) => ({ status, count: [801, 263, 37, 22, 8, 5][index] }),
      ),
      'unprotected-count': 342,
      'production-tag': 'environment=production',
      'production-count': 410,
      'unprotected-production-count': 12,
      activity: createYear(now),
    },
    links: { self: `/api/v2/organizations/${organization}/statistics` },
  },
});

/**
 * Answers requests for the statistics of an organization: those of a new service have no days.
 * @param change attributes that differ.
 */
export const serveStatistics = async (page: Page, organization: string, change: object = {}): Promise<void> => {
  await page.route(/\/statistics$/, (route) => {
    const { data } = createStatistics(organization, Date.now());
    const body = JSON.stringify({ data: { ...data, attributes: { ...data.attributes, ...change } } });
    return route.fulfill({ contentType: 'application/vnd.api+json', body });
  });
};
