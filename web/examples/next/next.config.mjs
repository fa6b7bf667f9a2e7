// next.config.mjs - heed stays a package of Node's on the server, since it loads its module by its own address.
export default { serverExternalPackages: ['heed'] };
