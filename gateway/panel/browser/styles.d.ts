/** Style sheets are bundled by the entry that imports them. */
declare module '*.css' {}
