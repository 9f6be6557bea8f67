/** Icons of 16 by 16 pixels. They are decoration: the control has a text or a label. */
const paths = {
  lock: 'M4 7V5a4 4 0 0 1 8 0v2h1v8H3V7h1Zm2 0h4V5a2 2 0 0 0-4 0v2Z',
  unlocked: 'M6 7V5a2 2 0 0 1 3.9-.6l1.9-.6A4 4 0 0 0 4 5v2H3v8h10V7H6Z',
  search: 'M7 2a5 5 0 1 0 3 9l3.3 3.3 1.2-1.2L11.2 10A5 5 0 0 0 7 2Zm0 1.7a3.3 3.3 0 1 1 0 6.6 3.3 3.3 0 0 1 0-6.6Z',
  menu: 'M2 3.5h12V5H2V3.5Zm0 3.750h12v1.5H2v-1.5ZM2 11h12v1.5H2V11Z',
  down: 'M3.5 5.5 8 10l4.5-4.5 1 1L8 12 2.5 6.5l1-1Z',
  up: 'M3.5 10.5 8 6l4.5 4.5 1-1L8 4 2.5 9.5l1 1Z',
  sort: 'm5 6.5 3-3 3 3-.9.9L8 5.3 5.9 7.4 5 6.5Zm0 3 3 3 3-3-.9-.9L8 10.7 5.9 8.6 5 9.5Z',
  check: 'm6.2 12.6-4-4 1.2-1.2 2.8 2.8 6.4-6.4 1.2 1.2-7.6 7.6Z',
  close: 'm3.5 2.5 4.5 4.5 4.5-4.5 1 1L9 8l4.5 4.5-1 1L8 9l-4.5 4.5-1-1L7 8 2.5 3.5l1-1Z',
  plus: 'M7.2 3h1.6v4.2H13v1.6H8.8V13H7.2V8.8H3V7.2h4.2V3Z',
  copy: 'M5 1h9v10h-3v4H2V5h3V1Zm1.5 1.5V5H11v4.5h1.5v-7h-6ZM3.5 6.5v7h6v-7h-6Z',
  warning: 'M8 1.5 15.5 15H.5L8 1.5ZM7.2 6v4.5h1.6V6H7.2Zm0 5.5v1.6h1.6v-1.6H7.2Z',
  info: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm-.8 3v1.7h1.6V4H7.2Zm0 3v5h1.6V7H7.2Z',
  sun: 'M8 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7ZM7.3.5h1.4V3H7.3V.5Zm0 12.5h1.4v2.5H7.3V13ZM.5 7.3H3v1.4H.5V7.3Zm12.5 0h2.5v1.4H13V7.3ZM2.2 3.2l1-1L5 4 4 5 2.2 3.2ZM11 12l1-1 1.8 1.8-1 1L11 12Zm-8.8.8L4 11l1 1-1.8 1.8-1-1ZM11 4l1.8-1.8 1 1L12 5l-1-1Z',
  moon: 'M6.5 1.5A6.5 6.5 0 1 0 14.5 9.5 5.5 5.5 0 0 1 6.5 1.5Z',
  user: 'M8 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6ZM2 14c0-3 2.7-4.8 6-4.8s6 1.8 6 4.8H2Z',
  filter: 'M1.5 3h13v1.5h-13V3ZM4 7.250h8v1.5H4v-1.5ZM6.5 11.5h3V13h-3v-1.5Z',
  external: 'M3 3h4v1.5H4.5v7h7V9H13v4H3V3Zm6-1h5v5h-1.5V4.6L8 9.1 6.9 8l4.5-4.5H9V2Z',
  more: 'M3 6.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3Zm5 0a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3Zm5 0a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3Z',
} as const;

export type IconName = keyof typeof paths;

/** Shows an icon in the color of the text. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <path d={paths[name]} fill="currentColor" fillRule="evenodd" />
  </svg>
);
