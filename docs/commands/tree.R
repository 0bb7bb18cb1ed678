# A classification tree of the package rpart, which comes with R; tables are CSV files.
folder <- commandArgs(trailingOnly = TRUE)[1]
train <- read.csv(file.path(folder, "train.csv"))
test <- read.csv(file.path(folder, "test.csv"))
train$y <- factor(train$y)
tree <- rpart::rpart(y ~ ., train, control = rpart::rpart.control(minbucket = 5, cp = 0.01))
write.csv(predict(tree, test, type = "prob"), file.path(folder, "predictions.csv"), row.names = FALSE)
