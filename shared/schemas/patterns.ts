/** Regular expressions of names, wherever they are sent from. */
export const patterns = {
  /** Letters, digits, `-` and `_`: names in paths. */
  pathName: '^[A-Za-z0-9_-]+$',
  /** Also spaces and dots, except at the ends: names that are only shown. */
  shownName: '^[A-Za-z0-9_-]+([ .]+[A-Za-z0-9_-]+)*$',
  /** Also `/`, and spaces except at the ends. */
  teamName: '^[A-Za-z0-9/_-]+( +[A-Za-z0-9/_-]+)*$',
  projectName: '^[A-Za-z0-9 _-]+$',
  email: '^[^@\\s]+@[^@\\s]+$',
} as const;
