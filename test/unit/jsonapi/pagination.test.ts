import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { paginate, readPage, slice } from '../../../shared/jsonapi/pagination.ts';

const pageOf = (text: string) => readPage(new URLSearchParams(text));

describe('a page', () => {
  it('is page 1 with 20 elements by default, and has at most 100 elements', () => {
    expect(pageOf('')).toEqual({ number: 1, size: 20 });
    expect(pageOf('page[number]=3&page[size]=50')).toEqual({ number: 3, size: 50 });
    expect(pageOf('page%5Bnumber%5D=3&page%5Bsize%5D=101')).toEqual({ number: 3, size: 100 });
  });

  it.each(['0', '-1', 'two', '', '1.5', '1e3', ' 1', '99999999999999999'])(
    'is rejected for the number or size %j',
    (value) => {
      for (const parameter of ['page[number]', 'page[size]']) {
        const query = new URLSearchParams({ [parameter]: value });
        expect(() => readPage(query)).toThrow(expect.objectContaining({ code: 'bad-request', source: { parameter } }));
      }
    },
  );

  test.prop([fc.nat({ max: 500 }), fc.integer({ min: 1, max: 100 })])(
    'follows the one before it until all rows were shown, each once',
    (total, size) => {
      const rows = Array.from({ length: total }, (_, index) => index);
      const shown: number[] = [];
      let number: number | null = 1;
      while (number !== null) {
        shown.push(...slice(rows, { number, size }));
        const { meta, links } = paginate({ number, size }, total, 'https://host/list', new URLSearchParams('kept=1'));
        expect(meta.pagination['current-page']).toBe(number);
        expect(links.self).toContain('kept=1');
        expect(links.next === null).toBe(meta.pagination['next-page'] === null);
        number = meta.pagination['next-page'];
      }
      expect(shown).toEqual(rows);
    },
  );

  it('keeps its number and is empty if it lies after the last page', () => {
    const page = { number: 999, size: 100 };
    expect(slice([1, 2, 3], page)).toEqual([]);
    expect(paginate(page, 3, 'https://host/list', new URLSearchParams()).meta.pagination).toEqual({
      'current-page': 999,
      'page-size': 100,
      'prev-page': 1,
      'next-page': null,
      'total-pages': 1,
      'total-count': 3,
    });
  });
});
