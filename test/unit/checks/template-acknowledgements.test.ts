import { describe, expect, test } from 'vitest';
import { acknowledgements, problemsOf } from '../../support/checks/templates/acknowledgements.ts';

const accepted = [{ rule: 'R1', places: / Queue\./, reason: 'The queue is the dead-letter queue.' }];
const finding = { rule: 'R1', place: 'Events.template.json Queue.DeadLetters', message: 'has no dead-letter queue' };

describe('findings in the templates', () => {
  test('are no problem where their rule is acknowledged for their place', () => {
    expect(problemsOf([finding], accepted)).toEqual([]);
  });

  test.each([
    ['another rule', { ...finding, rule: 'R2' }],
    ['another place', { ...finding, place: 'Api.template.json Topic.Alarms' }],
  ])('are a problem if the acknowledgement names %s', (_, other) => {
    expect(problemsOf([finding, other], accepted)).toEqual([`${other.rule} ${other.place}: has no dead-letter queue`]);
  });

  test('are required by each acknowledgement', () => {
    expect(problemsOf([], accepted)).toEqual(['R1 is acknowledged for / Queue\\./, but there is no such finding']);
  });

  test('are acknowledged with a reason', () => {
    for (const { reason } of acknowledgements) expect(reason.length).toBeGreaterThan(40);
  });
});
