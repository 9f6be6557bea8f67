/**
 * Takes the place of the settling time (`shared/store/directory/records/settling.ts`) in the functions that the endpoint
 * tests call. Their requests end before a deletion begins. The tests of the store pass the time, and check it.
 */
export const SETTLING = 0;
