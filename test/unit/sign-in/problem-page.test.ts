import { describe, expect, test } from 'vitest';
import { problemPage, unavailablePage } from '../../../functions/sign-in/problem-page.ts';
import { notFound, unavailable } from '../../../shared/domain/errors.ts';

describe('the page that ends a sign-in', () => {
  const problem = { title: 'A <b>problem</b>', detail: '"It" & that', remedy: "An owner's help" };

  test('shows its texts as they are, whatever characters they contain', () => {
    const { html, status } = problemPage(problem);
    expect(status).toBe(400);
    expect(html).toContain('<h1>A &lt;b&gt;problem&lt;/b&gt;</h1>');
    expect(html).toContain('&quot;It&quot; &amp; that');
    expect(html).toContain('An owner&#39;s help');
  });

  test('has no script, no form, and a policy that allows none', () => {
    const { html, headers } = problemPage(problem);
    expect(html).not.toMatch(/<script|<form|<a /);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
    expect(headers['content-security-policy']).not.toContain('unsafe-inline');
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  test('is shown with status 503 for an error of the service that passes by itself, and for no other error', () => {
    expect(unavailablePage(unavailable('busy')).status).toBe(503);
    expect(() => unavailablePage(notFound())).toThrow();
  });
});
