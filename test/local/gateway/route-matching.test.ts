import { describe, expect, it } from 'vitest';
import { createRouteMatcher } from '../../../infra/local/gateway/route-matching.ts';

const keys = ['$default', 'ANY /things/{id}', 'GET /things/{id}', 'GET /things/special', 'GET /files/{path+}'];
const match = createRouteMatcher(keys.map((key) => ({ key, functionName: 'f', timeoutMillis: 1 })));
const matched = (method: string, path: string) => {
  const found = match(method, path);
  return [found?.route.key, found?.parameters];
};

describe('createRouteMatcher', () => {
  it.each([
    ['prefers a literal segment to a parameter', 'GET', '/things/special', 'GET /things/special', {}],
    ['prefers a method to ANY', 'GET', '/things/7', 'GET /things/{id}', { id: '7' }],
    ['matches ANY for other methods', 'PUT', '/things/special', 'ANY /things/{id}', { id: 'special' }],
    ['matches the rest of the path with {path+}', 'GET', '/files/a/b%20c', 'GET /files/{path+}', { path: 'a/b c' }],
    ['does not split a segment at an encoded slash', 'GET', '/things/a%2Fb', 'GET /things/{id}', { id: 'a/b' }],
    ['decodes a parameter once', 'GET', '/things/a%252Fb', 'GET /things/{id}', { id: 'a%2Fb' }],
    ['does not match a parameter with an empty segment', 'GET', '/things/', '$default', {}],
    ['does not ignore a trailing slash', 'GET', '/things/7/', '$default', {}],
    ['does not decode literal segments', 'GET', '/%74hings/7', '$default', {}],
    [
      'accepts a parameter with the value __proto__',
      'GET',
      '/things/__proto__',
      'GET /things/{id}',
      { id: '__proto__' },
    ],
  ])('%s', (_, method, path, key, parameters) => {
    expect(matched(method, path)).toEqual([key, parameters]);
  });

  it('returns undefined when no route matches and there is no route $default', () => {
    expect(createRouteMatcher([])('GET', '/')).toBeUndefined();
  });
});
