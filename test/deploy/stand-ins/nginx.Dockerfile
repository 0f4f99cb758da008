# nginx from Debian, for machines that can reach Debian but no image registry. Not the official image.
FROM node:24-bookworm-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends nginx-light && rm -rf /var/lib/apt/lists/*
CMD ["nginx", "-g", "daemon off;"]
