import { describe, expect, it } from 'vitest';
import { createRouteMatcher } from '../../../infra/local/gateway/route-matching.ts';

const keys = ['$default', 'ANY /things/{id}', 'GET /things/{id}', 'GET /things/special', 'GET /files/{path+}'];
const match = createRouteMatcher(keys.map((key) => ({ key, functionName: 'f', timeoutMillis: 1 })));
const matched = (method: string, path: string) => {
  const found = match(method, path);
  return [found?.route.key, found?.parameters];
};

describe('routes match as HTTP APIs match them', () => {
  it.each([
    ['a literal segment before a parameter', 'GET', '/things/special', 'GET /things/special', {}],
    ['a method before ANY', 'GET', '/things/7', 'GET /things/{id}', { id: '7' }],
    ['any other method', 'PUT', '/things/special', 'ANY /things/{id}', { id: 'special' }],
    ['the rest of the path', 'GET', '/files/a/b%20c', 'GET /files/{path+}', { path: 'a/b c' }],
    ['an encoded slash stays inside its segment', 'GET', '/things/a%2Fb', 'GET /things/{id}', { id: 'a/b' }],
    ['a parameter is decoded once', 'GET', '/things/a%252Fb', 'GET /things/{id}', { id: 'a%2Fb' }],
    ['an empty segment is no parameter', 'GET', '/things/', '$default', {}],
    ['a trailing slash makes another path', 'GET', '/things/7/', '$default', {}],
    ['an encoded letter is not the letter', 'GET', '/%74hings/7', '$default', {}],
    ['a parameter named like a prototype', 'GET', '/things/__proto__', 'GET /things/{id}', { id: '__proto__' }],
  ])('%s', (_, method, path, key, parameters) => {
    expect(matched(method, path)).toEqual([key, parameters]);
  });

  it('has no answer without a $default route', () => {
    expect(createRouteMatcher([])('GET', '/')).toBeUndefined();
  });
});
